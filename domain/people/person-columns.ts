/** Columns that say who somebody is and where they live, as a user's row and the details of an order both have them. */
export const NAME_AND_ADDRESS = [
  'prefix',
  'first_name',
  'middle_name',
  'last_name',
  'suffix',
  'address1',
  'address2',
  'city',
  'state',
  'region',
  'zip',
  'plus4',
  'postal',
  'country',
] as const;
