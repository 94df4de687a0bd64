/**
 * PostgreSQL's pattern of the seats of a state's legislature that name their district (`NY_012`): whom a target with one stands for is told by it, in targeting, in what mails
 * show and for callers alike.
 */
export const STATE_SEAT = '^[A-Z]{2}_\\d{3}$';
