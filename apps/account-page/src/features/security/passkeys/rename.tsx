import { Button, useTexts } from '@crm/ui';
import { useState } from 'react';
import { type Passkey, securityApi } from '../../../api/security-api.js';
import { Dialog } from '../../../parts/dialog.js';
import { Form } from '../../../parts/form.js';
import { PAGE_TEXTS } from '../../../parts/parts.texts.js';
import { TextInput } from '../../../parts/text-input.js';
import { useSession } from '../../../session.js';
import { useAction } from '../../../use-action.js';
import { PASSKEY_TEXTS } from './passkeys.texts.js';

export interface RenameProps {
  readonly passkey: Passkey;
  readonly onRenamed: () => void;
  readonly onClose: () => void;
}

/** Another name for a passkey, which only its owner sees. */
export function Rename({ passkey: { id, name: before }, onRenamed, onClose }: RenameProps) {
  const texts = useTexts(PASSKEY_TEXTS);
  const { cancel } = useTexts(PAGE_TEXTS);
  const { call } = useSession();
  const [name, setName] = useState(before);
  const action = useAction(async () => {
    await call((token) => securityApi.renamePasskey(token, id, name.trim()));
    onRenamed();
  });
  return (
    <Dialog title={texts.renameTitle} onClose={onClose}>
      <Form action={action} submit={texts.rename}>
        <TextInput
          label={texts.name}
          pattern=".*\S.*"
          title={texts.name}
          autoComplete="off"
          maxLength={60}
          value={name}
          onChange={setName}
        />
      </Form>
      <Button onClick={onClose}>{cancel}</Button>
    </Dialog>
  );
}
