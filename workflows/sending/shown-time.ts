/** A time as operators read it in the details of a run. @param time ISO 8601 in UTC */
export const shownTime = (time: string): string => `${time.slice(0, 19)} UTC`;
