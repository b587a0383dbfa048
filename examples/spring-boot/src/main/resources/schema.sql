-- What the shop has to tell others. The transaction that changes the shop's own tables adds a row here, too.
CREATE TABLE IF NOT EXISTS outbox (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    event_id UUID DEFAULT RANDOM_UUID() NOT NULL,
    customer VARCHAR(100) NOT NULL,
    cents BIGINT NOT NULL,
    sent BOOLEAN DEFAULT FALSE NOT NULL
);

-- What each customer owes.
CREATE TABLE IF NOT EXISTS balance (
    customer VARCHAR(100) PRIMARY KEY,
    cents BIGINT NOT NULL
);

-- The next offset to book of each partition: written by the transaction that books.
CREATE TABLE IF NOT EXISTS booked (
    topic VARCHAR(100) NOT NULL,
    topic_partition INT NOT NULL,
    next_offset BIGINT NOT NULL,
    PRIMARY KEY (topic, topic_partition)
);
