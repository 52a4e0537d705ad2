import { Button, useTexts } from '@crm/ui';
import { CopyButton } from '../../../parts/copy-button.js';
import { Page } from '../../../parts/page.js';
import { API_KEY_TEXTS } from './api-keys.texts.js';

export interface NewKeyProps {
  readonly value: string;
  readonly onKept: () => void;
}

/** A key, this once. */
export function NewKey({ value, onKept }: NewKeyProps) {
  const texts = useTexts(API_KEY_TEXTS);
  return (
    <Page title={texts.keepTitle}>
      <p>{texts.keepText}</p>
      <p className="secret">
        <code>{value}</code>
      </p>
      <CopyButton text={value} />
      <Button look="primary" onClick={onKept}>
        {texts.kept}
      </Button>
    </Page>
  );
}
