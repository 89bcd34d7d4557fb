/** When two deal IDs look alike: one may be the other after a spreadsheet, a mail program or another keyboard. */

/** Every dash and minus sign of Unicode. */
const DASHES =
  /[\u00ad\u058a\u05be\u1806\u2010-\u2015\u2043\u207b\u208b\u2212\u2e3a\u2e3b\u301c\u3030\ufe58\ufe63\uff0d]/g;
const BLANKS = /[\s\u200b-\u200d\u2060\ufeff]+/g;
const NUMBER = /^0*(\d+?)(?:\.(\d*?)0*)?$/;
const PLAIN = /^[\x21-\x7e]*$/;

/** The same for deal IDs that look alike: case, dashes, spaces, Unicode forms, and the zeros around a number. */
export function similarForm(dealId: string): string {
  let form = folded(dealId);
  // Folding a letter may give one that folds further: ẞ becomes ß, which becomes ss.
  for (let next = folded(form); next !== form; next = folded(form)) form = next;
  return form;
}

function folded(dealId: string): string {
  const text = PLAIN.test(dealId)
    ? dealId
    : dealId.replace(DASHES, '-').normalize('NFKC').replace(DASHES, '-').replace(BLANKS, ' ').trim();
  const [, whole, fraction = ''] = NUMBER.exec(text) ?? [];
  if (whole !== undefined) return fraction === '' ? whole : `${whole}.${fraction}`;
  return text.toUpperCase().toLowerCase().normalize('NFC');
}
