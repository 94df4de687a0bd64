/** The text as it stands in a pattern of LIKE, where `%` and `_` in it mean themselves. */
export const likeText = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

/** A pattern of texts in which the words stand. */
export const likeWords = (words: string): string => `%${likeText(words)}%`;
