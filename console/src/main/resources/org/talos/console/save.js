// SPDX-License-Identifier: Apache-2.0
/** Saves what the browser has as a file, never to be shown by it: a message may be a page of HTML. */
const KEPT_MILLIS = 60_000;

/** Hands a blob to the reader as a file of that name. */
export function saveBlob(blob, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MILLIS);
}
