import { useTexts } from '@crm/ui';
import type { AskedScope } from '../../api/account-api.js';
import { CONSENT_TEXTS } from './consent.texts.js';

/** What an app could do, in words of users; what changes something first. */
export function ScopeList({ scopes }: { readonly scopes: readonly AskedScope[] }) {
  const texts = useTexts(CONSENT_TEXTS);
  if (scopes.length === 0) return <p>{texts.nothing}</p>;
  const ordered = [...scopes].sort((left, right) => Number(right.writes) - Number(left.writes));
  return (
    <section className="stack" aria-labelledby="scopes">
      <h2 id="scopes">{texts.scopes}</h2>
      <ul className="scopes">
        {ordered.map(({ name, description, writes }) => {
          const words = texts.scopeWords[name.replace(/:read$/, '')];
          return (
            <li key={name}>
              {/* A scope that this page does not know yet has the words of the API. */}
              <span>{words ? words[writes ? 'writes' : 'reads'] : description}</span>
              <span className="muted">{writes ? texts.writes : texts.reads}</span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
