import { workflowBundle } from '../activities/workflow-bundle.ts';

// Makes the script of the workflows ahead of time, for images: workers then start at once and need not write.
console.log(await workflowBundle());
