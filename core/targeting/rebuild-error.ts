/** A build that would fail again the same way: the messages are for the poll document of the rebuild. */
export class RebuildError extends Error {
  readonly messages: string[];
  constructor(messages: string[]) {
    super(messages.join(' '));
    this.messages = messages;
  }
}
