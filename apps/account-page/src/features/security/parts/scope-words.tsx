import { useTexts } from '@crm/ui';
import { CONSENT_TEXTS } from '../../consent/consent.texts.js';

export interface ScopeWordsProps {
  readonly scopes: readonly string[];
  /** What has become of those that are not there any more. They stay in the list, so that nothing moves. */
  readonly lost?: { readonly scopes: readonly string[]; readonly note: string };
}

/** What may be done, in the words in which it was asked for. */
export function ScopeWords({ scopes, lost }: ScopeWordsProps) {
  const { scopeWords } = useTexts(CONSENT_TEXTS);
  return (
    <ul className="words">
      {scopes.map((scope) => {
        const words = scopeWords[scope.replace(/:read$/, '')];
        const text = words?.[scope.endsWith(':read') ? 'reads' : 'writes'] ?? scope;
        if (!lost?.scopes.includes(scope)) return <li key={scope}>{text}</li>;
        return (
          <li key={scope} className="muted">
            <del>{text}</del> <span className="visually-hidden">{lost.note}</span>
          </li>
        );
      })}
    </ul>
  );
}
