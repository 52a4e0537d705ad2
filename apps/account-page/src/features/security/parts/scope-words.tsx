import { useTexts } from '@crm/ui';
import { CONSENT_TEXTS } from '../../consent/consent.texts.js';

/** What may be done, in the words in which it was asked for. */
export function ScopeWords({ scopes }: { readonly scopes: readonly string[] }) {
  const { scopeWords } = useTexts(CONSENT_TEXTS);
  return (
    <ul className="words">
      {scopes.map((scope) => {
        const words = scopeWords[scope.replace(/:read$/, '')];
        return <li key={scope}>{words?.[scope.endsWith(':read') ? 'reads' : 'writes'] ?? scope}</li>;
      })}
    </ul>
  );
}
