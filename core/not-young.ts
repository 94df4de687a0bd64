/**
 * SQL: that a row was not written just now. What seems to be of a time to come was written before the database's clock was set back, and is not young either.
 * @param column when it was written
 * @param age SQL of an interval
 */
export const notYoung = (column: string, age: string): string => `${column} not between now() - ${age} and now() + ${age}`;
