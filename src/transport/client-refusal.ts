// Why a client's certificate does not hold, in words a support desk understands: OpenSSL gives a server its code alone.

const UNSIGNED = 'it is signed by no authority trusted here, or the client does not send the ones between';

const IN_WORDS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'it has ended',
  CERT_NOT_YET_VALID: 'it holds only from later on',
  CERT_REVOKED: 'it was revoked',
  CERT_SIGNATURE_FAILURE: 'its signature is not of the authority that it names',
  UNABLE_TO_GET_ISSUER_CERT: UNSIGNED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNSIGNED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNSIGNED,
  SELF_SIGNED_CERT_IN_CHAIN: 'it is signed by no authority trusted here',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is self-signed, and not among those trusted here',
  INVALID_PURPOSE: 'it does not say that it serves for clients: extended key usage',
  INVALID_CA: 'its signer is no authority',
  PATH_LENGTH_EXCEEDED: 'an authority in its chain may not have so many below it',
  UNABLE_TO_GET_CRL: 'an authority in its chain has no list of those that it revoked here',
  CRL_HAS_EXPIRED: 'the list of those that its authority revoked has ended',
  CRL_NOT_YET_VALID: 'the list of those that its authority revoked holds only from later on',
  CRL_SIGNATURE_FAILURE: 'the list of those that its authority revoked is not signed by that authority',
};

/** Meaning of OpenSSL's code for an invalid certificate; the code itself if unknown. */
export function clientRefusal(code: string): string {
  const words = IN_WORDS[code];
  return `the client's certificate is refused: ${words === undefined ? code : `${words} (${code})`}`;
}
