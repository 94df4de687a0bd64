/** A build that would fail again the same way: the messages are for the poll document of the rebuild. */
export class RebuildError extends Error {
  readonly messages: string[];
  constructor(messages: string[]) {
    super(messages.join(' '));
    this.messages = messages;
  }
}

/** What is said of it outside the database: its messages quote statements, and values of theirs, which may name people. */
export const BUILD_SAYS_WHY = 'The users could not be built; the rebuild says why.';
