/**
 * Countries, in lower case, whose addresses have zips of the United States: as a country is stored, which is the empty text where nobody has said it, and the
 * territories and associated states as people may write them. 75001 is in Texas here, and in Paris elsewhere.
 */
export const WITH_AMERICAN_ZIPS: readonly string[] = [
  ...['', 'united states', 'united states of america', 'us', 'usa', 'u.s.', 'u.s.a.'],
  ...['puerto rico', 'pr', 'guam', 'gu', 'american samoa', 'as', 'northern mariana islands', 'mp'],
  ...['u.s. virgin islands', 'us virgin islands', 'united states virgin islands', 'virgin islands', 'vi', 'u.s. outlying islands', 'um'],
  ...['palau', 'pw', 'marshall islands', 'mh', 'micronesia', 'federated states of micronesia', 'fm'],
];
