import { useTexts } from '@crm/ui';
import { CONSENT_TEXTS } from './consent.texts.js';
import { ScopeChoice, type ScopeChoiceProps } from './scope-choice.js';

/** What an app could do, and what of it the person gives. */
export function ScopeList(choice: ScopeChoiceProps) {
  const texts = useTexts(CONSENT_TEXTS);
  const { scopes } = choice;
  if (scopes.length === 0) return <p>{texts.nothing}</p>;
  return (
    <section className="stack" aria-labelledby="scopes">
      <h2 id="scopes">{texts.scopes}</h2>
      {scopes.every(({ required }) => required) ? null : <p>{texts.choose}</p>}
      <ScopeChoice {...choice} />
    </section>
  );
}
