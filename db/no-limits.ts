/** For the rest of the transaction it is in. PostgreSQL has it since 17, and refuses a setting that it does not know. */
export const NO_TRANSACTION_LIMIT = `case when current_setting('transaction_timeout', true) is not null then set_config('transaction_timeout', '0', true) end`;

/** Of a command that waits between its statements for what it does beside, a disk say; said as its transaction begins. */
export const MAY_WAIT = 'set local idle_in_transaction_session_timeout = 0';

/**
 * Takes away, for the transaction it is said in, what an operator has set for login or database against statements that were forgotten somewhere. What takes longer
 * than that for its size would be ended the same way each time it is tried again.
 */
export const WITHOUT_LIMITS = `select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true), ${NO_TRANSACTION_LIMIT}`;

/** The same where somebody waits for the answer: it may be as large as it is, and waits for others no longer than any. */
export const HOWEVER_LARGE = `select set_config('statement_timeout', '0', true), ${NO_TRANSACTION_LIMIT}`;
