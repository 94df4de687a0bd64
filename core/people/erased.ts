/** SQL over `u`, a row of core_user: whether this user was erased. Such a row stays, and is to be sent nowhere. */
export const ERASED = `exists (select from core_erasure e where e.user_id = u.id and e.status = 'complete')`;
