// SPDX-License-Identifier: Apache-2.0
/** Reads an answer in lines as they come, without ever holding more than one of them. */
const LINE_FEED = 10;
const decoder = new TextDecoder();

/** The bytes of each line that is not empty. Leaving the loop ends the answer. */
export async function* byteLines(response) {
    const reader = response.body.getReader();
    let pieces = []; // of the line whose end has not come yet
    try {
        for (let read = await reader.read(); !read.done; read = await reader.read()) {
            let begin = 0;
            for (let end = read.value.indexOf(LINE_FEED); end >= 0; end = read.value.indexOf(LINE_FEED, begin)) {
                pieces.push(read.value.subarray(begin, end));
                const line = joined(pieces);
                pieces = [];
                begin = end + 1;
                if (line.length > 0) {
                    yield line;
                }
            }
            pieces.push(read.value.subarray(begin));
        }
        const last = joined(pieces);
        if (last.length > 0) {
            yield last;
        }
    } finally {
        await reader.cancel().catch(() => undefined); // it has ended already
    }
}

/** The value of each line, which is JSON. */
export async function* jsonLines(response) {
    for await (const line of byteLines(response)) {
        yield JSON.parse(decoder.decode(line));
    }
}

function joined(pieces) {
    if (pieces.length === 1) {
        return pieces[0];
    }
    const bytes = new Uint8Array(pieces.reduce((sum, each) => sum + each.length, 0));
    let filled = 0;
    for (const piece of pieces) {
        bytes.set(piece, filled);
        filled += piece.length;
    }
    return bytes;
}
