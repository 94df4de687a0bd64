/** 1 person, 12430 people: for logs, terminals and runs; pages group their digits (console/numbers.ts). */
export const counted = (value: number, one: string, many: string): string => `${value} ${value === 1 ? one : many}`;
