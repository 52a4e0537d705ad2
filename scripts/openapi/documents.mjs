/** @typedef {{ name: string, text: string }} Document the JSON text of a document, and the address it is of */

/**
 * Reads the documents that the public addresses of a running platform show.
 * @param {import('../platform/addresses.mjs').Addresses} addresses
 * @returns {Promise<Document[]>} that of the gateway, of the operators' address and of the embedding API
 */
export const publicDocuments = (addresses) =>
  Promise.all(
    Object.entries({ gateway: addresses.baseUrl, operators: addresses.adminUrl, embedding: addresses.embedApiUrl }).map(
      async ([name, url]) => {
        const answer = await fetch(`${url}/api/openapi.json`);
        if (!answer.ok) throw new Error(`${url}/api/openapi.json answered ${answer.status}`);
        return { name, text: await answer.text() };
      },
    ),
  );
