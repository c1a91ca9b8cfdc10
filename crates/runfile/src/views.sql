-- The views of a run file; its tables are made from the lists of their columns. docs/reference/run-file.md says what each
-- column holds. Plain SQL of 2018 (SQLite 3.25): no STRICT, no generated columns, so that old readers open it too.

-- Rates of every interval, jobs together. Reads and writes count, trims and flushes do not.
CREATE VIEW per_second AS
SELECT step,
       (SELECT name FROM step WHERE step.step = interval.step)          AS step_name,
       start_ns / 1e9                                                   AS start_s,
       (max(end_ns) - start_ns) / 1e9                                   AS seconds,
       min(counted)                                                     AS counted,
       sum(CASE direction WHEN 'read'  THEN ops ELSE 0 END) * 1e9 / (max(end_ns) - start_ns) AS read_iops,
       sum(CASE direction WHEN 'write' THEN ops ELSE 0 END) * 1e9 / (max(end_ns) - start_ns) AS write_iops,
       sum(CASE WHEN direction IN ('read', 'write') THEN ops ELSE 0 END) * 1e9
         / (max(end_ns) - start_ns)                                     AS iops,
       sum(CASE WHEN direction IN ('read', 'write') THEN bytes ELSE 0 END) * 1e9 / 1048576.0
         / (max(end_ns) - start_ns)                                     AS mib_per_s,
       sum(CASE WHEN direction IN ('read', 'write') THEN latency_ns_sum ELSE 0 END) / 1e6
         / nullif(sum(CASE WHEN direction IN ('read', 'write') THEN ops ELSE 0 END), 0) AS latency_ms_mean,
       max(CASE WHEN direction IN ('read', 'write') THEN latency_ns_max ELSE 0 END) / 1e6 AS latency_ms_max,
       sum(errors)                                                      AS errors
FROM interval
GROUP BY step, start_ns;

-- One row a step and direction past the ramp, from the workers' totals; nothing for a step that was cut off.
CREATE VIEW step_direction AS
SELECT step.step                                                        AS step,
       step.name                                                        AS name,
       step.kind                                                        AS kind,
       direction,
       (step.ended_ns - counted_from_ns) / 1e9                          AS seconds,
       sum(ops)                                                         AS ops,
       sum(bytes)                                                       AS bytes,
       sum(errors)                                                      AS errors,
       sum(ops) * 1e9 / (step.ended_ns - counted_from_ns)               AS iops,
       sum(bytes) * 1e9 / 1048576.0 / (step.ended_ns - counted_from_ns) AS mib_per_s,
       sum(latency_ns_sum) / 1e6 / nullif(sum(ops), 0)                  AS latency_ms_mean,
       min(latency_ns_min) / 1e6                                        AS latency_ms_min,
       max(latency_ns_max) / 1e6                                        AS latency_ms_max
FROM step
JOIN worker ON worker.step = step.step
JOIN worker_direction ON worker_direction.worker = worker.worker
GROUP BY step.step, direction;

-- What another tool printed of each direction; NULL where it printed nothing.
CREATE VIEW reported_direction AS
SELECT reported, scope, job,
       json_extract(part.value, '$.direction')                          AS direction,
       json_extract(part.value, '$.ops.value')                          AS ops,
       json_extract(part.value, '$.bytes.value')                        AS bytes,
       json_extract(part.value, '$.iops.value')                         AS iops,
       json_extract(part.value, '$.bytes_per_second.value') / 1048576.0 AS mib_per_s,
       (SELECT json_extract(latency.value, '$.mean.value') / 1e6
        FROM json_each(part.value, '$.latencies') AS latency
        ORDER BY CASE json_extract(latency.value, '$.kind') WHEN 'total' THEN 0 WHEN 'completion' THEN 1 ELSE 2 END
        LIMIT 1)                                                        AS latency_ms_mean
FROM reported JOIN json_each(reported.record, '$.directions') AS part;

-- Every latency histogram of the file, whatever table holds it.
CREATE VIEW histogram AS
SELECT step, 'interval' AS scope, job, NULL AS worker, start_ns, direction, 'due_to_done' AS kind, due_to_done AS counts
FROM interval JOIN interval_histogram ON interval_histogram.interval = interval.interval
UNION ALL
SELECT step, 'worker', job, worker.worker, started_ns, direction, 'due_to_done', due_to_done
FROM worker JOIN worker_direction ON worker_direction.worker = worker.worker WHERE length(due_to_done) > 0
UNION ALL
SELECT step, 'worker', job, worker.worker, started_ns, direction, 'issued_to_done', issued_to_done
FROM worker JOIN worker_direction ON worker_direction.worker = worker.worker WHERE length(issued_to_done) > 0
UNION ALL
SELECT step, 'worker', job, worker.worker, started_ns, direction, 'due_to_issued', due_to_issued
FROM worker JOIN worker_direction ON worker_direction.worker = worker.worker WHERE length(due_to_issued) > 0;

-- The kernel's own counters of each device, as they are.
CREATE VIEW sample_disk AS
SELECT disk_counters.sample                                             AS sample,
       at_ns, disk,
       reads, reads_merged, sectors_read, read_ms, writes, writes_merged, sectors_written, write_ms, in_flight, busy_ms,
       queue_ms, discards, discards_merged, sectors_discarded, discard_ms, flushes, flush_ms
FROM disk_counters
JOIN sampled_disk ON sampled_disk.sampled_disk = disk_counters.sampled_disk
JOIN sample_cpu ON sample_cpu.sample = disk_counters.sample;

-- What the kernel counted for each device between one sample and the next, as iostat shows it. NULL where a count fell,
-- since the device is another then; milliseconds may wrap at 32 bits.
CREATE VIEW disk_per_second AS
SELECT at_ns / 1e9                                                      AS at_s,
       disk,
       (at_ns - at_before) / 1e9                                        AS seconds,
       reads_more * 1e9 / (at_ns - at_before)                           AS reads_per_s,
       writes_more * 1e9 / (at_ns - at_before)                          AS writes_per_s,
       sectors_read_more * 512e9 / 1048576.0 / (at_ns - at_before)      AS read_mib_per_s,
       sectors_written_more * 512e9 / 1048576.0 / (at_ns - at_before)   AS write_mib_per_s,
       read_ms_more * 1.0 / nullif(reads_more, 0)                       AS read_await_ms,
       write_ms_more * 1.0 / nullif(writes_more, 0)                     AS write_await_ms,
       queue_ms_more * 1e6 / (at_ns - at_before)                        AS queue_depth,
       busy_ms_more * 1e8 / (at_ns - at_before)                         AS busy_percent
FROM (
  SELECT at_ns, at_before, disk,
         CASE WHEN same THEN reads - reads_before END AS reads_more,
         CASE WHEN same THEN writes - writes_before END AS writes_more,
         CASE WHEN same THEN sectors_read - sectors_read_before END AS sectors_read_more,
         CASE WHEN same THEN sectors_written - sectors_written_before END AS sectors_written_more,
         CASE WHEN same THEN read_ms - read_ms_before + CASE WHEN read_ms < read_ms_before THEN 4294967296 ELSE 0 END END AS read_ms_more,
         CASE WHEN same THEN write_ms - write_ms_before + CASE WHEN write_ms < write_ms_before THEN 4294967296 ELSE 0 END END AS write_ms_more,
         CASE WHEN same THEN queue_ms - queue_ms_before + CASE WHEN queue_ms < queue_ms_before THEN 4294967296 ELSE 0 END END AS queue_ms_more,
         CASE WHEN same THEN busy_ms - busy_ms_before + CASE WHEN busy_ms < busy_ms_before THEN 4294967296 ELSE 0 END END AS busy_ms_more
  FROM (
    SELECT upto.at_ns AS at_ns, since.at_ns AS at_before, disk,
           now.reads >= before.reads
           AND now.reads_merged >= before.reads_merged
           AND now.sectors_read >= before.sectors_read
           AND now.writes >= before.writes
           AND now.writes_merged >= before.writes_merged
           AND now.sectors_written >= before.sectors_written
           AND now.discards >= before.discards
           AND now.discards_merged >= before.discards_merged
           AND now.sectors_discarded >= before.sectors_discarded
           AND now.flushes >= before.flushes AS same,
           now.reads AS reads, before.reads AS reads_before,
           now.writes AS writes, before.writes AS writes_before,
           now.sectors_read AS sectors_read, before.sectors_read AS sectors_read_before,
           now.sectors_written AS sectors_written, before.sectors_written AS sectors_written_before,
           now.read_ms AS read_ms, before.read_ms AS read_ms_before,
           now.write_ms AS write_ms, before.write_ms AS write_ms_before,
           now.queue_ms AS queue_ms, before.queue_ms AS queue_ms_before,
           now.busy_ms AS busy_ms, before.busy_ms AS busy_ms_before
    FROM disk_counters AS now
    JOIN disk_counters AS before ON before.counters = now.counters - now.rows_back
    JOIN sample_cpu AS upto ON upto.sample = now.sample
    JOIN sample_cpu AS since ON since.sample = before.sample
    JOIN sampled_disk ON sampled_disk.sampled_disk = now.sampled_disk
  )
)
WHERE at_ns > at_before;

-- What another tool printed of each device, interval by interval, in base units.
CREATE VIEW observed_per_interval AS
SELECT from_ns / 1e9                                                    AS from_s,
       to_ns / 1e9                                                      AS to_s,
       device,
       read_ops, write_ops, discard_ops, flush_ops, read_bytes, write_bytes, discard_bytes, read_merges,
       write_merges, discard_merges, read_merged_share, write_merged_share, discard_merged_share, read_await, write_await,
       discard_await, flush_await, read_size, write_size, discard_size, queue_depth, busy, in_flight, ops, bytes, merges, await, size
FROM observed_disk
JOIN observed_interval ON observed_interval.interval = observed_disk.interval
JOIN observed_series ON observed_series.series = observed_disk.series;
