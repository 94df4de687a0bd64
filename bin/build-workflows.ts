import { workflowBundle } from '../activities/workflow-bundle.ts';
import { takeNothing } from './command.ts';

// Makes the script of the workflows ahead of time, for images: workers then start at once and need not write.
takeNothing('npm run build:workflows');
console.log(await workflowBundle());
