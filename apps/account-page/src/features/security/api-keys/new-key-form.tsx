import { Button, useTexts } from '@crm/ui';
import { useState } from 'react';
import { securityApi } from '../../../api/security-api.js';
import { Form } from '../../../parts/form.js';
import { Page } from '../../../parts/page.js';
import { PAGE_TEXTS } from '../../../parts/parts.texts.js';
import { SelectInput } from '../../../parts/select-input.js';
import { TextInput } from '../../../parts/text-input.js';
import { useAction } from '../../../use-action.js';
import { useCaller } from '../../../use-caller.js';
import { useProof } from '../proof/proof.js';
import { API_KEY_TEXTS } from './api-keys.texts.js';
import { type Reach, reachChoices, scopesOf } from './key-scopes.js';

/** Days that a key lives; the first is the default of the API. */
const LIVES = ['90', '7', '30', '365'] as const;

export interface NewKeyFormProps {
  /** @param key the whole of it, which is shown once */
  readonly onMade: (key: string) => void;
  readonly onCancel: () => void;
}

/** What a key is for, what it reaches, and when it ends. */
export function NewKeyForm({ onMade, onCancel }: NewKeyFormProps) {
  const texts = useTexts(API_KEY_TEXTS);
  const { cancel } = useTexts(PAGE_TEXTS);
  const callProven = useProof();
  const { caller } = useCaller();
  const [name, setName] = useState('');
  const [days, setDays] = useState<string>(LIVES[0]);
  const [chosen, setChosen] = useState<Readonly<Record<string, Reach>>>({});
  const [isNothing, setIsNothing] = useState(false);
  const choices = reachChoices(caller?.roles ?? []);
  const action = useAction(async () => {
    const scopes = scopesOf(chosen, choices);
    setIsNothing(scopes.length === 0);
    if (scopes.length === 0) return;
    const key = { name: name.trim(), scopes, expiresInDays: Number(days) };
    const made = await callProven((token) => securityApi.makeApiKey(token, key));
    if (made) onMade(made.answer.key);
  });
  return (
    <Page title={texts.make}>
      <Form action={action} submit={texts.makeNow} words={texts.problems}>
        <TextInput
          label={texts.name}
          hint={texts.nameHint}
          pattern=".*\S.*"
          title={texts.name}
          autoComplete="off"
          maxLength={100}
          value={name}
          onChange={setName}
        />
        <SelectInput
          label={texts.life}
          value={days}
          options={LIVES.map((value) => ({ value, label: texts.days(value) }))}
          onChange={setDays}
        />
        <fieldset className="group" aria-describedby={isNothing ? 'nothing-chosen' : undefined}>
          <legend>{texts.scopes}</legend>
          {choices.map(({ name: scope, reaches }) => (
            <SelectInput
              key={scope}
              label={texts.things[scope] ?? scope}
              value={chosen[scope] ?? 'none'}
              options={reaches.map((value) => ({ value, label: texts.reaches[value] }))}
              onChange={(reach) => setChosen((before) => ({ ...before, [scope]: reach }))}
            />
          ))}
        </fieldset>
        {isNothing ? (
          <p className="problem" role="alert" id="nothing-chosen">
            {texts.nothingChosen}
          </p>
        ) : null}
      </Form>
      <Button onClick={onCancel}>{cancel}</Button>
    </Page>
  );
}
