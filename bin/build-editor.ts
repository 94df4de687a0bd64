import { editorBundle } from '../console/editor/bundle.ts';
import { takeNothing } from './command.ts';

// Makes the script of the console's editor ahead of time, for images: API processes then need not write.
takeNothing('npm run build:editor');
console.log(`${(await editorBundle()).length} bytes`);
