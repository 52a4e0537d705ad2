/**
 * Where the console is: lists and records, settings, accounts, and what links in mails name. None is below a prefix that the gateway
 * routes. What comes without TLS is redirected there, and nowhere else.
 */
export const PAGE_PATHS = [
  '/',
  '/records/:object',
  '/records/:object/:id',
  '/settings',
  '/settings/:view',
  '/account',
  '/account/:view',
  '/email-change',
  '/email-change/undo',
  '/invitation',
  '/password-reset',
  '/undo-link',
  '/verify-email',
] as const;

type Matching<Pattern> = Pattern extends `${infer Start}/:${string}` ? `${Start}/${string}` : Pattern;
/** A path at which the console is served. */
export type PagePath = Matching<(typeof PAGE_PATHS)[number]>;
