import type { NoteView } from '@crm/api-client';
import { Icon, ProblemNotice, useTexts } from '@crm/ui';
import { ActionIcon, Button, Group, Modal, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { Markdown } from './markdown.js';
import { LONGEST_NOTE, onSend } from './note-composer.js';
import { useChangeNote, useDeleteNote } from './timeline.queries.js';
import { TIMELINE_TEXTS } from './timeline.texts.js';

/** The text of a note, which who may changes in its place or deletes. */
export function NoteBody({ note }: { readonly note: NoteView }) {
  const texts = useTexts(TIMELINE_TEXTS);
  const [draft, setDraft] = useState<string>();
  const [isDeleting, setDeleting] = useState(false);
  const change = useChangeNote();
  const deletion = useDeleteNote();
  const close = (): void => setDraft(undefined);
  if (draft !== undefined) {
    const save = (): void => {
      if (draft.trim() !== '' && !change.isPending) change.mutate({ note, text: draft }, { onSuccess: close });
    };
    return (
      <>
        <Textarea
          aria-label={texts.noteText}
          autosize
          autoFocus
          minRows={2}
          maxLength={LONGEST_NOTE}
          value={draft}
          onChange={({ currentTarget }) => setDraft(currentTarget.value)}
          onKeyDown={onSend(save)}
        />
        {change.error ? <ProblemNotice problem={change.error} /> : null}
        <Group gap="xs" mt="xs">
          <Button size="xs" loading={change.isPending} onClick={save}>
            {texts.save}
          </Button>
          <Button size="xs" variant="default" onClick={close}>
            {texts.cancel}
          </Button>
        </Group>
      </>
    );
  }
  return (
    <div className="note-body">
      <Markdown text={note.text} />
      {note.writable ? (
        <Group gap={0} wrap="nowrap">
          <ActionIcon variant="subtle" color="gray" aria-label={texts.edit} onClick={() => setDraft(note.text)}>
            <Icon name="edit" />
          </ActionIcon>
          <ActionIcon variant="subtle" color="gray" aria-label={texts.delete} onClick={() => setDeleting(true)}>
            <Icon name="close" />
          </ActionIcon>
        </Group>
      ) : null}
      <Modal
        opened={isDeleting}
        onClose={() => setDeleting(false)}
        title={texts.deleteTitle}
        closeButtonProps={{ 'aria-label': texts.cancel }}
        centered
      >
        <Text>{texts.deleteText}</Text>
        {deletion.error ? <ProblemNotice problem={deletion.error} /> : null}
        <Group mt="lg">
          <Button color="red" loading={deletion.isPending} onClick={() => deletion.mutate(note)}>
            {texts.delete}
          </Button>
          <Button variant="default" onClick={() => setDeleting(false)}>
            {texts.cancel}
          </Button>
        </Group>
      </Modal>
    </div>
  );
}
