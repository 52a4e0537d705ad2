import type { CrmRecord } from '@crm/api-client';
import { RECORD_TEXTS, useRecords } from '@crm/records-ui';
import { type DraftValue, FieldInput, faultOf, fieldValue, problemOf, ReferencePicker } from '@crm/records-ui/record';
import { ProblemNotice, useLocale, useTexts } from '@crm/ui';
import { Button, Checkbox, Group, Modal, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApiClient } from '../../../session/api-client-context.js';
import { ACTION_TEXTS } from '../actions.texts.js';

export interface RecordActionProps {
  readonly record: CrmRecord;
  readonly title: string;
  readonly onClose: () => void;
}

/** What an opportunity is asked for at once. */
const DEAL_FIELDS = ['name', 'amount', 'currency', 'closeDate'];

/** Makes a contact of a lead, and a company and an opportunity; leads to what is furthest then. */
export default function ConvertLead({ record: lead, title, onClose }: RecordActionProps) {
  const texts = useTexts(ACTION_TEXTS);
  const { cancel, ...words } = useTexts(RECORD_TEXTS);
  const { tag } = useLocale();
  const client = useApiClient();
  const queries = useQueryClient();
  const { objects, open } = useRecords();
  const objectOf = (name: string) => objects.find((object) => object.name === name);
  const deals = objectOf('opportunities');
  const fields = deals?.creatable ? deals.fields.filter(({ apiName }) => DEAL_FIELDS.includes(apiName)) : [];
  const company = typeof lead.companyName === 'string' ? lead.companyName : '';
  const [contactId, setContact] = useState('');
  const [companyId, setCompany] = useState('');
  const [hasDeal, setDeal] = useState(fields.length > 0);
  const [draft, setDraft] = useState<Readonly<Record<string, DraftValue>>>({ name: company || title });
  // The same for every attempt, so that a repeated one converts nothing more.
  const [key] = useState(() => crypto.randomUUID());
  const faults = hasDeal ? fields.filter((field) => faultOf(field, draft[field.apiName] ?? '', tag)) : [];
  const values = fields.map((field) => [field.apiName, fieldValue(field, draft[field.apiName], tag)]);
  const convert = useMutation({
    mutationFn: async () => {
      const { data } = await client.POST('/api/crm/leads/{id}/convert', {
        params: { path: { id: lead.id }, header: { 'Idempotency-Key': key } },
        body: {
          ...(contactId && { contactId }),
          ...(companyId && { companyId }),
          ...(hasDeal && { createOpportunity: Object.fromEntries(values.filter(([, value]) => value !== null)) }),
        },
      });
      return data as NonNullable<typeof data>;
    },
    onSuccess: async (made) => {
      await queries.invalidateQueries({ queryKey: ['records'] });
      notifications.show({ message: texts.converted(title) });
      onClose();
      const [object, id] = made.opportunityId ? [deals, made.opportunityId] : [objectOf('contacts'), made.contactId];
      if (object) open(object, id);
    },
  });
  return (
    <Modal opened onClose={onClose} title={texts.convertTitle(title)} closeButtonProps={{ 'aria-label': cancel }}>
      <Stack gap="md">
        <ReferencePicker
          targets={['contacts']}
          label={texts.contact}
          description={texts.newContact(title)}
          error={problemOf(convert.error, 'contactId')}
          value={contactId}
          onChange={setContact}
        />
        <ReferencePicker
          targets={['companies']}
          label={texts.company}
          description={company ? texts.newCompany(company) : texts.noCompany}
          error={problemOf(convert.error, 'companyId')}
          value={companyId}
          onChange={setCompany}
        />
        {fields.length > 0 ? (
          <Checkbox
            label={texts.withDeal}
            checked={hasDeal}
            onChange={({ currentTarget }) => setDeal(currentTarget.checked)}
          />
        ) : null}
        {(hasDeal ? fields : []).map((field) => {
          const fault = faultOf(field, draft[field.apiName] ?? '', tag);
          return (
            <FieldInput
              key={field.apiName}
              field={field}
              value={draft[field.apiName] ?? ''}
              problem={fault ? words[fault] : problemOf(convert.error, `createOpportunity/${field.apiName}`)}
              onChange={(value) => setDraft((present) => ({ ...present, [field.apiName]: value }))}
            />
          );
        })}
        {convert.error ? <ProblemNotice problem={convert.error} /> : null}
        <Group>
          <Button loading={convert.isPending} disabled={faults.length > 0} onClick={() => convert.mutate()}>
            {texts.convert}
          </Button>
          <Button variant="default" onClick={onClose}>
            {cancel}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
