import { ask } from '../cli/ask.ts';
import { runCommand } from '../cli/command-line.ts';
import { UnreadError } from '../cli/terminal.ts';

// npm run cli -- help: the platform from a terminal.
const { stdin, stdout, stderr } = process;
let unread = false;
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  unread = true;
});
process.exitCode = await runCommand(process.argv.slice(2), process.env, {
  out: (text) => {
    if (unread) throw new UnreadError();
    stdout.write(`${text}\n`);
  },
  redraw: stdout.isTTY ? (line) => void stdout.write(`\r${line.slice(0, stdout.columns || undefined)}\u001b[K`) : null,
  problem: (text) => void stderr.write(`${text}\n`),
  ask: stdin.isTTY ? (question) => ask(question, stdin, stderr) : null,
  input: async () => {
    let text = '';
    for await (const chunk of stdin) text += chunk;
    return text;
  },
});
