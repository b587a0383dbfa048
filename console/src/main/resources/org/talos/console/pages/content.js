// SPDX-License-Identifier: Apache-2.0
/** The bytes of a message as REST answers them. */

/** The bytes of a message, and its text if they are one. */
export function contentOf(message) {
    if (message.base64 !== undefined) {
        return {bytes: Uint8Array.from(atob(message.base64), each => each.charCodeAt(0))};
    }
    return {text: message.value ?? "", bytes: new TextEncoder().encode(message.value ?? "")};
}
