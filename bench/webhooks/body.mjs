/** The body of a delivery, of the size that those of the source's events have. */
export const DELIVERY_BODY = JSON.stringify({
  id: '01999999-9999-7999-8999-999999999999',
  type: 'lead.created',
  timestamp: '2026-01-01T00:00:00.000Z',
  tenantId: '01999999-9999-7999-8999-999999999999',
  data: {
    id: '01999999-9999-7999-8999-999999999999',
    version: 1,
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
    firstName: 'Ada',
    lastName: 'Lovelace 1000',
    email: 'lead1000@example.com',
    phone: '+49 30 1001000',
    companyName: 'Company number 1000',
    status: 'new',
    source: 'N1000',
    ownerId: '01999999-9999-7999-8999-999999999999',
  },
});
