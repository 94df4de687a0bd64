import { describeSettings, envExample } from '../config/describe.ts';

// Prints every setting with its default and meaning; with --env as the text of .env.example.
if (process.argv.includes('--env')) process.stdout.write(envExample());
else {
  const settings = describeSettings();
  const width = (of: 'name' | 'fallback') => Math.max(...settings.map((setting) => setting[of].length));
  for (const { name, fallback, description } of settings) {
    console.log(`${name.padEnd(width('name'))}  ${fallback.padEnd(width('fallback'))}  ${description}`);
  }
}
