import { members, named, type Shape, textSet, whole, wholeSet } from './tree.js';

const by =
  (name: string) =>
  (item: Readonly<Record<string, unknown>>): unknown =>
    item[name];

const field = members(
  {
    options: named(by('value'), members(), { ordered: true, short: 'value' }),
    // A rule is what it demands: with another value it is another rule.
    validationRules: named(({ type, value }) => `${String(type)} ${String(value)}`, members()),
    readRoles: wholeSet,
    writeRoles: wholeSet,
  },
  { required: false, is_unique: false, exposes: false },
);

/** An object whose members are compared one by one, each as a whole. */
const flat = members();

const action = members({ values: flat, headers: flat, data: flat });

/**
 * How each section is compared. What is missing here is compared as a whole, so that a section or a key that joins the
 * manifest is never overlooked.
 */
export const packageShape: Shape = members({
  publisher: flat,
  listing: members({ categories: textSet }, { visibility: 'public' }),
  permissions: named(by('scope'), members({}, { optional: false }), { short: 'scope' }),
  roles: named(by('name'), flat),
  objects: named(by('apiName'), members({ fields: named(by('apiName'), field, { ordered: true }) })),
  automations: named(
    by('key'),
    members({
      trigger: members({ payload: named(by('name'), flat) }),
      actions: named(({ key, type }) => key ?? type, action, { ordered: true }),
    }),
  ),
  webhooks: named(by('url'), members({ events: textSet })),
  embed: members({ allowedOrigins: textSet, scopes: textSet }, { linkUsersBy: 'email' }),
  oauth: members({ redirectUris: textSet }),
  connector: members({ streams: named(by('name'), members({ mapping: flat, primaryKey: whole })) }),
  assistant: members({
    tools: named(by('name'), members({}, { readOnly: false, requiresConfirmation: false })),
    mcpServers: named(by('url'), flat, { short: 'url' }),
  }),
  service: members({ consumes: textSet, produces: textSet }),
  release: flat,
});
