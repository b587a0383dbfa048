// SPDX-License-Identifier: Apache-2.0
/**
 * CBOR (RFC 8949) and MessagePack, as the text of a JSON value that shows them. Digits of whole numbers stay exact, and
 * what JSON lacks is shown in words: bytes as h'00ff', tags and extensions as an object. Libraries for both give values
 * of JavaScript, which lose that, and weigh more than this.
 */
const MOST_DEPTH = 64;
const MOST_VALUES = 100_000;
const MOST_SHOWN_BYTES = 1024; // of a value that is bytes
const MOST_NAME = 1024; // characters of a name that is an object or a list: each level doubles its backslashes
const BREAK = 0xff; // ends what has no length in CBOR
const utf8 = new TextDecoder("utf-8", {fatal: true, ignoreBOM: true});

/** Bytes that are read from the beginning on; any error means that they are not of the format. */
class Input {
    constructor(bytes) {
        this.bytes = bytes;
        this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
        this.at = 0;
        this.values = 0;
    }

    /** The first byte of a value. */
    head(depth) {
        if (depth > MOST_DEPTH || ++this.values > MOST_VALUES) {
            throw new RangeError("too deep, or too many values");
        }
        return this.bytes[this.skip(1)];
    }

    /** Passes this number of bytes, and returns where they begin. */
    skip(count) {
        if (count > this.bytes.length - this.at) {
            throw new RangeError("the bytes end before the value");
        }
        const begin = this.at;
        this.at += Number(count);
        return begin;
    }

    /** A number of 1, 2, 4, or 8 bytes, the last as a BigInt. */
    whole(size, signed = false) {
        const name = `get${size === 8 ? "Big" : ""}${signed ? "Int" : "Uint"}${8 * size}`;
        return this.view[name](this.skip(size));
    }

    float(size) {
        return this.view[`getFloat${8 * size}`](this.skip(size));
    }

    part(count) {
        const begin = this.skip(count);
        return this.bytes.subarray(begin, this.at);
    }

    text(count) {
        return utf8.decode(this.part(count));
    }

    isBreak() {
        const found = this.bytes[this.at] === BREAK;
        this.at += found ? 1 : 0;
        return found;
    }
}

function bytesText(bytes) {
    const digits = Array.from(bytes.subarray(0, MOST_SHOWN_BYTES), each => each.toString(16).padStart(2, "0")).join("");
    return JSON.stringify(`h'${digits}${bytes.length > MOST_SHOWN_BYTES ? "…" : ""}'`);
}

function floatText(value) {
    return Number.isFinite(value) ? JSON.stringify(value) : JSON.stringify(String(value));
}

/** As many values as are counted, or until the bytes say that they end. */
function several(isMore, read) {
    const all = [];
    while (isMore(all.length)) {
        all.push(read());
    }
    return all.join(",");
}

function member(read) {
    const name = read();
    if (name[0] !== "\"" && name.length > MOST_NAME) {
        throw new RangeError("too long a name");
    }
    return `${name[0] === "\"" ? name : JSON.stringify(name)}:${read()}`;
}

function cbor(input, depth) {
    const head = input.head(depth);
    const [kind, info] = [head >> 5, head & 31];
    if (kind === 7) {
        return cborSimple(input, info);
    }
    const read = () => cbor(input, depth + 1);
    const open = info === 31;
    const count = open ? undefined : cborCount(input, info);
    const isMore = open ? () => !input.isBreak() : done => done < count;
    switch (kind) {
        case 2: return bytesText(open ? joined(cborPieces(input, kind)) : input.part(count));
        case 3: return JSON.stringify(open ? cborPieces(input, kind).map(each => utf8.decode(each)).join("")
            : input.text(count));
        case 4: return `[${several(isMore, read)}]`;
        case 5: return `{${several(isMore, () => member(read))}}`;
        default:
    }
    if (open) {
        throw new RangeError("a number without an end");
    }
    return kind === 0 ? String(count) : kind === 1 ? String(-1n - BigInt(count)) : `{"tag ${count}":${read()}}`;
}

function cborCount(input, info) {
    if (info > 27) {
        throw new RangeError("reserved");
    }
    return info < 24 ? info : input.whole(1 << (info - 24));
}

/** The pieces of bytes or of a text that has no length. */
function cborPieces(input, kind) {
    const pieces = [];
    while (!input.isBreak()) {
        const head = input.head(0);
        if (head >> 5 !== kind || (head & 31) === 31) {
            throw new RangeError("another kind of piece");
        }
        pieces.push(input.part(cborCount(input, head & 31)));
    }
    return pieces;
}

function joined(pieces) {
    return Uint8Array.from(pieces.flatMap(each => [...each]));
}

function cborSimple(input, info) {
    const known = {20: "false", 21: "true", 22: "null", 23: "\"undefined\""}[info];
    if (known) {
        return known;
    }
    if (info === 25) {
        return floatText(half(input.whole(2)));
    }
    return info === 26 ? floatText(input.float(4)) : info === 27 ? floatText(input.float(8))
        : JSON.stringify(`simple(${cborCount(input, info)})`);
}

/** A number of 16 bits with a point. */
function half(bits) {
    const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
    const size = exponent === 0 ? fraction * 2 ** -24
        : exponent === 31 ? (fraction === 0 ? Infinity : NaN) : (1024 + fraction) * 2 ** (exponent - 25);
    return bits >> 15 ? -size : size;
}

function messagePack(input, depth) {
    const head = input.head(depth);
    const read = () => messagePack(input, depth + 1);
    const list = count => `[${several(done => done < count, read)}]`;
    const map = count => `{${several(done => done < count, () => member(read))}}`;
    const size = first => 1 << (head - first);
    const inRange = (first, last) => head >= first && head <= last;
    if (head < 0x80 || head >= 0xe0) {
        return String(head < 0x80 ? head : head - 0x100);
    }
    if (head < 0xc0) {
        return head < 0x90 ? map(head & 15) : head < 0xa0 ? list(head & 15) : JSON.stringify(input.text(head & 31));
    }
    if (inRange(0xc4, 0xc6)) {
        return bytesText(input.part(input.whole(size(0xc4))));
    }
    if (inRange(0xc7, 0xc9) || inRange(0xd4, 0xd8)) {
        const count = head < 0xd4 ? input.whole(size(0xc7)) : size(0xd4);
        return `{"extension ${input.whole(1, true)}":${bytesText(input.part(count))}}`;
    }
    if (inRange(0xca, 0xcb)) {
        return floatText(input.float(head === 0xca ? 4 : 8));
    }
    if (inRange(0xcc, 0xd3)) {
        return String(head < 0xd0 ? input.whole(size(0xcc)) : input.whole(size(0xd0), true));
    }
    if (inRange(0xd9, 0xdb)) {
        return JSON.stringify(input.text(input.whole(size(0xd9))));
    }
    if (inRange(0xdc, 0xdf)) {
        return head < 0xde ? list(input.whole(2 * size(0xdc))) : map(input.whole(2 * size(0xde)));
    }
    const known = {0xc0: "null", 0xc2: "false", 0xc3: "true"}[head];
    if (!known) {
        throw new RangeError("never used");
    }
    return known;
}

const FORMATS = [
    {id: "cbor", title: "CBOR", type: /cbor/i, read: cbor},
    {id: "msgpack", title: "MessagePack", type: /msgpack|messagepack/i, read: messagePack},
];

/** The text of the one value that all bytes are, or undefined. */
function textOf(bytes, read) {
    try {
        const input = new Input(bytes);
        const text = read(input, 0);
        return input.at === bytes.length ? text : undefined;
    } catch (notOfTheFormat) {
        return undefined;
    }
}

/**
 * The formats that bytes may be of, the likeliest first: the one that the content type names, and those by which the
 * bytes are an object or a list. Each has its id, its title, and the text.
 */
export function decoded(bytes, contentType = "") {
    return FORMATS.map(({id, title, type, read}) =>
        ({id, title, isNamed: type.test(contentType), text: textOf(bytes, read)}))
        .filter(({text, isNamed}) => text !== undefined && (isNamed || text[0] === "{" || text[0] === "["))
        .sort((one, other) => other.isNamed - one.isNamed || (other.text[0] === "{") - (one.text[0] === "{"));
}
