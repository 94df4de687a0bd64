// What the worker bundles: every workflow type, by its name.
export { clearOld } from './clear-old.ts';
export { deliverWebhook } from './deliver-webhook.ts';
export { rebuildTargets } from './rebuild-targets.ts';
export { runIntegration } from './run-integration.ts';
export { runRecurring } from './run-recurring.ts';
export { runReport } from './run-report.ts';
export { sendMailing } from './send-mailing.ts';
export { sendNotice } from './send-notice.ts';
export { sendProofs } from './send-proofs.ts';
export { sweep } from './sweep.ts';
export { syncChanged } from './sync-changed.ts';
export { syncUser } from './sync-user.ts';
export { deleteList, eraseUser, importUpload, mergeUsers, sendConfirmation } from './user-jobs.ts';
