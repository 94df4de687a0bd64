import { ENCRYPTED, makeWorkflowBundle } from './workflow-bundle.ts';

// A process of its own for what takes much memory once. @see workflowBundle
await makeWorkflowBundle([], process.argv.includes(ENCRYPTED));
