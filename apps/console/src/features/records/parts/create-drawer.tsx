import type { RecordFields } from '@crm/api-client';
import { type ObjectModel, RECORD_TEXTS } from '@crm/records-ui';
import { RecordForm, type Related } from '@crm/records-ui/record';
import { Confirm, useTexts } from '@crm/ui';
import { Drawer } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { useCallback, useRef, useState } from 'react';
import { useApiClient } from '../../../session/api-client-context.js';
import { SHELL_TEXTS } from '../../shell/shell.texts.js';
import { ACTION_TEXTS } from '../actions.texts.js';
import { findDuplicates, type Hit, questionsOf } from '../duplicates.js';
import { Duplicates } from './duplicates.js';

export interface CreateDrawerProps {
  readonly model: ObjectModel;
  readonly related?: Related;
  readonly onCreated: (record: { readonly id: string }) => void;
  readonly onClose: () => void;
}

/** The form of a new record, beside the list. What was typed is not left without a question. */
export default function CreateDrawer({ model, related, onCreated, onClose }: CreateDrawerProps) {
  const texts = useTexts(RECORD_TEXTS);
  const { close: closeText } = useTexts(SHELL_TEXTS);
  const touched = useRef(false);
  const setTouched = useCallback((isTouched: boolean) => {
    touched.current = isTouched;
  }, []);
  const leaving = useBlocker({
    shouldBlockFn: () => touched.current,
    enableBeforeUnload: () => touched.current,
    withResolver: true,
  });
  // Beside a record the form is not in the address, so that closing it leaves no page.
  const [isClosing, setClosing] = useState(false);
  const isAsked = isClosing || leaving.status === 'blocked';
  const close = (): void => {
    if (related && touched.current) setClosing(true);
    else onClose();
  };
  const client = useApiClient();
  const actionTexts = useTexts(ACTION_TEXTS);
  const [found, setFound] = useState<{ asked: string; hits: readonly Hit[] }>();
  /** Who has seen what is there already, and submits the same again, creates it anyway. */
  const check = async (fields: RecordFields): Promise<boolean> => {
    const asked = questionsOf(model, fields)
      .map(({ q }) => q)
      .join('\n');
    if (asked === found?.asked) return true;
    const hits = await findDuplicates(client, model, fields);
    setFound(hits.length > 0 ? { asked, hits } : undefined);
    return hits.length === 0;
  };
  return (
    <>
      <Drawer
        opened
        onClose={close}
        closeOnClickOutside={false}
        closeOnEscape={!isAsked}
        position="right"
        title={texts.create(model.label)}
        closeButtonProps={{ 'aria-label': closeText }}
      >
        <RecordForm
          model={model}
          related={related}
          onCreated={(record) => {
            setTouched(false);
            onCreated(record);
          }}
          onCancel={close}
          onTouched={setTouched}
          onCheck={check}
          notice={found ? <Duplicates hits={found.hits} /> : null}
          act={found && actionTexts.createAnyway}
        />
      </Drawer>
      {isAsked ? (
        <Confirm
          title={texts.discardTitle}
          text={texts.discardText}
          act={texts.discard}
          onAct={async () => (leaving.status === 'blocked' ? leaving.proceed() : onClose())}
          onClose={() => {
            setClosing(false);
            leaving.reset?.();
          }}
        />
      ) : null}
    </>
  );
}
