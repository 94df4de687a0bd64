import { bundleWorkflowCode, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { once } from './endings.ts';

const silent = { trace() {}, debug() {}, info() {}, warn() {}, error: console.error, log() {} };

/** Every workflow of the platform, bundled once per mocha process: bundling takes seconds, and each worker would do it again. */
export const workflowBundle = once((): Promise<WorkflowBundleWithSourceMap> => {
  return bundleWorkflowCode({ workflowsPath: new URL('../../workflows/index.ts', import.meta.url).pathname, logger: silent });
});
