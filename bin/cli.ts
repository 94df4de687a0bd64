import { createInterface } from 'node:readline/promises';
import { runCommand } from '../cli/command-line.ts';

// npm run cli -- help: the platform from a terminal.
const { stdin, stdout, stderr } = process;
process.exitCode = await runCommand(process.argv.slice(2), process.env, {
  out: (text) => void stdout.write(`${text}\n`),
  redraw: stdout.isTTY ? (line) => void stdout.write(`\r${line.slice(0, stdout.columns)}\u001b[K`) : null,
  problem: (text) => void stderr.write(`${text}\n`),
  ask: stdin.isTTY
    ? async (question) => {
        const lines = createInterface({ input: stdin, output: stderr });
        return lines.question(question).finally(() => lines.close());
      }
    : null,
  input: async () => {
    let text = '';
    for await (const chunk of stdin) text += chunk;
    return text;
  },
});
