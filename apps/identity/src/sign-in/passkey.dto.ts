import { BooleanField, DateTimeField, IdField, IntegerField, JsonField, ListField, TextField } from '@crm/http';

const CREDENTIAL = {
  description: "The browser's result: `PublicKeyCredential.toJSON()`",
};

const ASSERTION_EXAMPLE = {
  id: 'nDmFnjwXpHbQ2iTAQ5kDrw',
  rawId: 'nDmFnjwXpHbQ2iTAQ5kDrw',
  type: 'public-key',
  response: {
    clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
    authenticatorData: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ',
    signature: 'MEUCIQDz',
    userHandle: 'AZ0',
  },
};

const ATTESTATION_EXAMPLE = {
  id: 'nDmFnjwXpHbQ2iTAQ5kDrw',
  rawId: 'nDmFnjwXpHbQ2iTAQ5kDrw',
  type: 'public-key',
  response: {
    clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0',
    attestationObject: 'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVg',
    transports: ['internal', 'hybrid'],
  },
};

const NAME = { maxLength: 60, pattern: /\S/, example: 'Key in the drawer' };

export class PasskeyAnswerInput {
  @TextField({ maxLength: 60, description: '`challengeId` of the options' }) challengeId: string;
  @JsonField({ ...CREDENTIAL, example: ASSERTION_EXAMPLE }) credential: Record<string, unknown>;
}

export class PasskeyInput {
  @TextField({ maxLength: 60, description: '`challengeId` of the options' }) challengeId: string;
  @JsonField({ ...CREDENTIAL, example: ATTESTATION_EXAMPLE }) credential: Record<string, unknown>;

  @TextField({ ...NAME, optional: true, description: 'The device by default, such as `Chrome on macOS`' })
  name?: string;
}

export class PasskeyNameInput {
  @TextField(NAME) name: string;
}

/** For a browser, which asks its user. */
export class PasskeyOptionsView {
  @TextField({ maxLength: 60, description: "Send it with the browser's result" }) challengeId: string;
  @IntegerField({ description: 'Lifetime of the challenge in seconds', example: 300 }) expiresIn: number;

  @JsonField({
    description:
      'For `PublicKeyCredential.parseCreationOptionsFromJSON()` or `parseRequestOptionsFromJSON()`, and then `navigator.credentials.create()` or `get()`',
    example: { challenge: 'nRf3…', rpId: 'crm.example.com', allowCredentials: [], userVerification: 'required' },
  })
  publicKey: object;
}

export class PasskeyView {
  @IdField() id: string;
  @TextField({ maxLength: 60, example: 'Key in the drawer' }) name: string;

  @BooleanField({ description: 'Whether it is synced between devices, as last reported' })
  synced: boolean;

  @DateTimeField() createdAt: string;

  @DateTimeField({ nullable: true, description: 'When it was last used; null if never' })
  lastUsedAt: string | null;
}

export class PasskeyListView {
  @ListField(() => PasskeyView, { maxItems: 10 }) data: PasskeyView[];
}
