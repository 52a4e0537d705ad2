import { scopeEntry } from '@crm/contracts/rights';
import { catalogue, useLocale, useTexts } from '@crm/ui';
import { Checkbox, Stack } from '@mantine/core';

const SCOPE_TEXTS = catalogue({
  en: { needed: 'The app cannot work without it', reads: 'Reads only', writes: 'Reads and changes' },
  de: { needed: 'Ohne das funktioniert die App nicht', reads: 'Liest nur', writes: 'Liest und ändert' },
});

/** As the API describes it. */
export interface AskedScope {
  readonly name: string;
  readonly description: string;
  readonly writes: boolean;
  /** Whether the app cannot work without it. */
  readonly required?: boolean;
}

export interface ScopeChoiceProps {
  readonly scopes: readonly AskedScope[];
  /** Names of those that the person does not give. */
  readonly withheld: ReadonlySet<string>;
  readonly onChange: (withheld: ReadonlySet<string>) => void;
}

/** What an app could do, in words of users, each to be left out unless the app cannot work without it; what changes something first. */
export function ScopeChoice({ scopes, withheld, onChange }: ScopeChoiceProps) {
  const texts = useTexts(SCOPE_TEXTS);
  const { language } = useLocale();
  const ordered = [...scopes].sort((left, right) => Number(right.writes) - Number(left.writes));
  const change = (name: string, isGiven: boolean): void => {
    const others = [...withheld].filter((other) => other !== name);
    onChange(new Set(isGiven ? others : [...others, name]));
  };
  return (
    <Stack component="ul" gap="xs" p={0} m={0} className="plain">
      {ordered.map(({ name, description, writes, required = false }) => (
        <li key={name}>
          <Checkbox
            // A scope that this page does not know yet has the words of the API.
            label={scopeEntry(name)?.[writes ? 'writes' : 'reads'][language] ?? description}
            description={`${writes ? texts.writes : texts.reads}${required ? ` · ${texts.needed}` : ''}`}
            checked={!withheld.has(name)}
            disabled={required}
            onChange={(event) => change(name, event.currentTarget.checked)}
          />
        </li>
      ))}
    </Stack>
  );
}

export const givenOf = (scopes: readonly AskedScope[], withheld: ReadonlySet<string>): string[] =>
  scopes.map(({ name }) => name).filter((name) => !withheld.has(name));
