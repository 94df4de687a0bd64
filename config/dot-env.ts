import { existsSync } from 'node:fs';

// Loaded before a process of `npm run` (node --import): settings from a file .env in the working directory, where there is one. What the
// environment has already wins. Unlike --env-file-if-exists it does not remark on a file nobody made.
if (existsSync('.env')) process.loadEnvFile();
