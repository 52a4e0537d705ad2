import { type ObjectModel, RECORD_TEXTS } from '@crm/records-ui';
import { RecordForm, type Related } from '@crm/records-ui/record';
import { useTexts } from '@crm/ui';
import { Drawer } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { useCallback, useRef } from 'react';
import { SHELL_TEXTS } from '../../shell/shell.texts.js';
import { Confirm } from '../../sign-in/parts/confirm.js';

export interface CreateDrawerProps {
  readonly model: ObjectModel;
  readonly related?: Related;
  readonly onCreated: (record: { readonly id: string }) => void;
  readonly onClose: () => void;
}

/** The form of a new record, beside the list. What was typed is not left without a question. */
export default function CreateDrawer({ model, related, onCreated, onClose }: CreateDrawerProps) {
  const texts = useTexts(RECORD_TEXTS);
  const { close } = useTexts(SHELL_TEXTS);
  const touched = useRef(false);
  const setTouched = useCallback((isTouched: boolean) => {
    touched.current = isTouched;
  }, []);
  const leaving = useBlocker({
    shouldBlockFn: () => touched.current,
    enableBeforeUnload: () => touched.current,
    withResolver: true,
  });
  const isAsked = leaving.status === 'blocked';
  return (
    <>
      <Drawer
        opened
        onClose={onClose}
        closeOnClickOutside={false}
        closeOnEscape={!isAsked}
        position="right"
        title={texts.create(model.label)}
        closeButtonProps={{ 'aria-label': close }}
      >
        <RecordForm
          model={model}
          related={related}
          onCreated={(record) => {
            setTouched(false);
            onCreated(record);
          }}
          onCancel={onClose}
          onTouched={setTouched}
        />
      </Drawer>
      {isAsked ? (
        <Confirm
          title={texts.discardTitle}
          text={texts.discardText}
          act={texts.discard}
          onAct={async () => leaving.proceed()}
          onClose={leaving.reset}
        />
      ) : null}
    </>
  );
}
