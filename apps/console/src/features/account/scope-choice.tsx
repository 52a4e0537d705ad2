import { ApiProblem } from '@crm/api-client';
import { scopeEntry } from '@crm/contracts/rights';
import { useLocale, useTexts, type Values } from '@crm/ui';
import { Checkbox, Stack } from '@mantine/core';
import { SECURITY_TEXTS } from './security.texts.js';

export interface AskedScope {
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
}

/** Fields of a form: what an app could do, in words of users, each to be left out unless the app cannot work without it; what changes something first. */
export function ScopeChoice({ scopes }: { readonly scopes: readonly AskedScope[] }) {
  const texts = useTexts(SECURITY_TEXTS);
  const { language } = useLocale();
  const named = scopes.map((scope) => ({ ...scope, isReadOnly: scope.name.endsWith(':read') }));
  const ordered = named.sort((left, right) => Number(left.isReadOnly) - Number(right.isReadOnly));
  return (
    <Stack component="ul" gap="xs" p={0} m={0} className="plain">
      {ordered.map(({ name, description = name, isReadOnly, required = false }) => (
        <li key={name}>
          <Checkbox
            name={name}
            // A scope that this page does not know yet has the words of the API.
            label={scopeEntry(name)?.[isReadOnly ? 'reads' : 'writes'][language] ?? description}
            description={`${isReadOnly ? texts.reads : texts.writes}${required ? ` · ${texts.needed}` : ''}`}
            defaultChecked
            disabled={required}
          />
        </li>
      ))}
    </Stack>
  );
}

/** Names of the scopes that were left ticked. @throws ApiProblem where that is none */
export function givenOf(scopes: readonly AskedScope[], values: Values): string[] {
  const given = scopes.filter(({ name, required }) => required || name in values).map(({ name }) => name);
  if (given.length === 0 && scopes.length > 0) throw nothingChosen();
  return given;
}

/** What the page itself refuses to send. */
export const nothingChosen = () => new ApiProblem('NOTHING_CHOSEN', 422, 'Nothing is chosen');
