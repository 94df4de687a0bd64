/** SQL that cannot be run as a report; the message is for its author. */
export class StatementError extends Error {
  constructor(message: string) {
    // The grammar repeats the rest of the statement.
    super(message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)}…` : message);
  }
}

const LONGEST_MESSAGE = 500;
