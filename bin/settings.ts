import { describeSettings, envExample } from '../config/describe.ts';
import { command } from './command.ts';

// Prints every setting with its default and meaning; with --env as the text of .env.example.
await command(
  'npm run settings -- [--env]',
  { env: { type: 'boolean', default: false } },
  async (_words, values) => {
    if (values.env) return void process.stdout.write(envExample());
    const settings = describeSettings();
    const width = (of: 'name' | 'fallback') => Math.max(...settings.map((setting) => setting[of].length));
    for (const { name, fallback, description } of settings) {
      console.log(`${name.padEnd(width('name'))}  ${fallback.padEnd(width('fallback'))}  ${description}`);
    }
  },
  0,
);
