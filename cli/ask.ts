import { createInterface } from 'node:readline/promises';

/** Asks at a terminal. @returns what is answered; nothing where they leave with Ctrl-C or Ctrl-D, of which readline makes an error */
export async function ask(question: string, input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Promise<string> {
  const lines = createInterface({ input, output, terminal: true });
  try {
    return await lines.question(question);
  } catch (error) {
    if ((error as Error).name !== 'AbortError') throw error;
    output.write('\n');
    return '';
  } finally {
    lines.close();
  }
}
