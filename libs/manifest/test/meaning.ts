/** Lists whose order says nothing, and members whose absence says what one value says: written out again for the test. */
const SETS =
  /^(permissions|roles|objects|automations|webhooks|payload|events|allowedOrigins|scopes|redirectUris|streams|tools|mcpServers|consumes|produces|categories|readRoles|writeRoles|validationRules)$/;
const SHORT: Record<string, string> = { permissions: 'scope', options: 'value', mcpServers: 'url' };
const DEFAULTS: Record<string, unknown> = {
  optional: false,
  required: false,
  is_unique: false,
  exposes: false,
  readOnly: false,
  requiresConfirmation: false,
  linkUsersBy: 'email',
  visibility: 'public',
};
const LISTS = /^(options|actions|fields)$/;
/** Below these, members have no meaning for the platform. */
const OPAQUE = /^(inputSchema|values|headers|data|body|default|mapping|primaryKey)$/;

/** Another way to say what makes two packages equal. */
function meaning(value: unknown, name = '', opaque = false): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => {
      const short = SHORT[name];
      return meaning(short && !opaque && typeof item === 'string' ? { [short]: item } : item, '', opaque);
    });
    if (opaque || !SETS.test(name)) return items;
    const texts = items.map((item) => JSON.stringify(item)).sort();
    return value.every((item) => typeof item === 'string') ? [...new Set(texts)] : texts;
  }
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key, member]) => {
    if (opaque) return true;
    if (Array.isArray(member) && member.length === 0) return !(SETS.test(key) || LISTS.test(key));
    return !(Object.hasOwn(DEFAULTS, key) && DEFAULTS[key] === member);
  });
  const sorted = kept.sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, member]) => [key, meaning(member, key, opaque || OPAQUE.test(key))]));
}

/** Whether two packages mean the same, as this file understands it. */
export const isSame = (one: unknown, other: unknown) => JSON.stringify(meaning(one)) === JSON.stringify(meaning(other));
