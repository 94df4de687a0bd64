import { p } from '@mikro-orm/core';

/** An amount in the currency it was given in. */
export const amount = () => p.decimal().precision(14).scale(2);
/** An amount in US dollars: ten decimals, so that what is converted adds up before it is rounded. */
export const convertedAmount = () => p.decimal().precision(24).scale(10);
/** Three-letter ISO code. */
export const currency = () => p.text().default('USD');
