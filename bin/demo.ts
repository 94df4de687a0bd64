import { endProcess } from '../embedded/end-process.ts';
import { runDemo } from '../tools/demo/demo.ts';
import { OptionError, readOptions, USAGE } from '../tools/demo/options.ts';

// The main job from a signup to the last mail, on a platform of its own. Ends with 0 only when every sum agrees with what arrived.
if (process.argv.includes('--help')) {
  console.log(USAGE);
  endProcess(0);
}
try {
  const options = readOptions(process.argv.slice(2));
  const out = options.json ? process.stderr : process.stdout;
  const { result, disagreements, addresses, stop } = await runDemo(options, out);
  const { rate, seconds, ...sums } = result;
  const unknowable = `  on the wire when the ${options.crash} was killed: at most 2 × SMTP_CONNECTIONS`;
  out.write(
    `\n${Object.entries(sums)
      .map(
        ([what, count]) =>
          `  ${what.padEnd(12)}${String(count).padStart(10)}${what === 'uncertain' && count && options.crash ? unknowable : ''}\n`,
      )
      .join('')}`,
  );
  out.write(`  ${'rate'.padEnd(12)}${String(rate).padStart(10)} mails/s over ${seconds} s\n\n`);
  out.write(disagreements.length ? `NOT well: ${disagreements.join('; ')}\n` : 'All sums agree with what arrived.\n');
  process.exitCode = disagreements.length ? 1 : 0;
  if (options.keep) {
    out.write(
      `\n${Object.entries(addresses)
        .map(([what, address]) => `  ${what.padEnd(18)} ${address}\n`)
        .join('')}\n  Ctrl-C ends it.\n`,
    );
    await new Promise((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve));
  }
  await stop();
  if (options.json) console.log(JSON.stringify(result));
  endProcess();
} catch (error) {
  const wrong = error instanceof OptionError;
  console.error(wrong ? `${error.message}\n${USAGE}` : (error as Error).message);
  endProcess(wrong ? 2 : 1);
}
