"""The life of jobs from submit to history: a pure core. Events in, queue records and effects out."""
