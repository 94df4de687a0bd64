import { envSchema } from './env.ts';

export interface SettingDescription {
  name: string;
  /** As it would be written in the environment; empty when there is none. */
  fallback: string;
  description: string;
}

/** Every setting there is, in the order of config/env.ts. */
export function describeSettings(): SettingDescription[] {
  return Object.entries(envSchema.properties).map(([name, schema]) => {
    const { default: fallback, description } = schema as { default?: unknown; description?: string };
    return { name, fallback: fallback === undefined ? '' : String(fallback), description: description ?? '' };
  });
}

/** The text of .env.example: every setting, commented out, at its default. */
export function envExample(): string {
  const settings = describeSettings().map(({ name, fallback, description }) => `# ${description}\n#${name}=${quoted(fallback)}\n`);
  return `# Every setting of the platform, at its default. Written by \`npm run settings -- --env\`.\n# Each may also be given as a file: NAME_FILE names one that holds the value.\n\n${settings.join('\n')}`;
}

const quoted = (value: string) => (/[\s"#]/.test(value) ? `'${value}'` : value);
