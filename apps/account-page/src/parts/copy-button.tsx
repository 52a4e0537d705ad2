import { Button, useTexts } from '@crm/ui';
import { useState } from 'react';
import { PAGE_TEXTS } from './parts.texts.js';

/** Copies a text, and says whether the browser let it. */
export function CopyButton({ text }: { readonly text: string }) {
  const texts = useTexts(PAGE_TEXTS);
  const [outcome, setOutcome] = useState<string>();
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setOutcome(texts.copied),
      // A browser may refuse it; the text can still be marked and copied.
      () => setOutcome(texts.notCopied),
    );
  };
  return (
    <>
      <Button onClick={copy}>{texts.copy}</Button>
      <p role="status" className="outcome muted">
        {outcome}
      </p>
    </>
  );
}
