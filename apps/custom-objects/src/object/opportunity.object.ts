import { OPPORTUNITY_STATUSES } from '@crm/contracts';
import { standardObject, upTo } from './standard-object.js';

/** A deal in the pipeline. Its events carry the domain `deal`. */
export const OPPORTUNITY = standardObject('opportunity', {
  label: 'Opportunity',
  pluralLabel: 'Opportunities',
  nameField: 'name',
  fields: [
    { key: 1, apiName: 'name', label: 'Name', type: 'text', slot: 's1', required: true, validationRules: upTo(200) },
    { key: 2, apiName: 'amount', label: 'Amount', type: 'number', slot: 'n1' },
    { key: 3, apiName: 'currency', label: 'Currency', type: 'text', slot: 's2', validationRules: upTo(3) },
    { key: 4, apiName: 'stage', label: 'Stage', type: 'text', slot: 's3', validationRules: upTo(80) },
    {
      key: 5,
      apiName: 'status',
      label: 'Status',
      type: 'picklist',
      slot: 's4',
      options: OPPORTUNITY_STATUSES,
      required: true,
      default: 'open',
    },
    { key: 6, apiName: 'closeDate', label: 'Close date', type: 'date', slot: 't1' },
    { key: 7, apiName: 'companyId', label: 'Company', type: 'reference', slot: 's5', targets: ['company'] },
    { key: 8, apiName: 'contactId', label: 'Contact', type: 'reference', slot: 's6', targets: ['contact'] },
  ],
  milestones: [
    { field: 'status', value: 'won', event: 'deal.won' },
    { field: 'status', value: 'lost', event: 'deal.lost' },
  ],
});
